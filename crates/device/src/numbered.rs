//! Things under numbers that are used again once they are free.

/// Things, each under a number, which serves as a ticket.
#[derive(Debug, Clone)]
pub(crate) struct Numbered<T> {
    all: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { all: Vec::new(), free: Vec::new() }
    }
}

impl<T: Copy> Numbered<T> {
    /// Adds a thing and returns its number.
    pub(crate) fn add(&mut self, thing: T) -> u32 {
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let number = self.free.pop().unwrap_or(next);
        match self.all.get_mut(number as usize) {
            Some(place) => *place = thing,
            None => self.all.push(thing),
        }
        number
    }

    pub(crate) fn get(&self, number: u32) -> Option<T> {
        self.all.get(number as usize).copied()
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.all.get_mut(number as usize)
    }

    /// Makes a number free.
    pub(crate) fn release(&mut self, number: u32) {
        self.free.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::Numbered;

    #[test]
    fn a_free_number_is_used_again() {
        let mut things = Numbered::default();
        assert_eq!([things.add('a'), things.add('b')], [0, 1]);
        things.release(0);
        assert_eq!([things.add('c'), things.add('d')], [0, 2]);
        assert_eq!(
            [0, 1, 2, 3].map(|number| things.get(number)),
            [Some('c'), Some('b'), Some('d'), None]
        );
    }
}

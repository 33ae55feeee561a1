//! What units of a whole number have in common: what is derived for them, how they are stored, how they add up.

/// Makes a unit of a whole number; one `that_adds_up` has sums and differences, which saturate.
macro_rules! unit {
    ($(#[$doc:meta])* $name:ident that_adds_up) => {
        unit!($(#[$doc])* $name);

        impl std::ops::Add for $name {
            type Output = Self;
            #[inline]
            fn add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }
        }

        impl std::ops::AddAssign for $name {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl std::ops::Sub for $name {
            type Output = Self;
            #[inline]
            fn sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }
        }

        impl std::iter::Sum for $name {
            #[inline]
            fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
                all.fold(Self(0), std::ops::Add::add)
            }
        }
    };
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug,
            Clone,
            Copy,
            Default,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            serde::Serialize,
            schemars::JsonSchema,
            serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u64);
    };
}

pub(crate) use unit;

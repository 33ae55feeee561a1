//! Seek times by distance, from a table of measured points.

use arcwright_units::Nanos;

use super::geometry::float;

/// A measured point of the curve.
#[derive(Debug, Clone, Copy)]
struct Point {
    distance: f64,
    /// The square root of the distance.
    root: f64,
    time: f64,
}

/// A seek curve.
#[derive(Debug, Clone)]
pub(super) struct SeekCurve {
    points: Vec<Point>,
    factor: f64,
}

impl SeekCurve {
    /// Returns the curve through `points`; distances count `factor` times.
    pub(super) fn new(points: &[(u32, Nanos)], factor: u64) -> Self {
        let point = |(distance, time): &(u32, Nanos)| {
            let distance = f64::from(*distance);
            Point { distance, root: distance.sqrt(), time: time.0 as f64 }
        };
        Self { points: points.iter().map(point).collect(), factor: factor as f64 }
    }

    /// Returns the time to move over `distance` cylinders, in nanoseconds; zero for none.
    ///
    /// Between two points the time follows the square root of the distance, which is how a head
    /// that accelerates and brakes moves; behind the last point it goes on in a straight line.
    ///
    /// On a scaled disk the neighbouring cylinder stays the neighbour, and every longer way is as
    /// long as in life.
    pub(super) fn time(&self, distance: u64) -> f64 {
        let distance = match distance {
            0 => return 0.0,
            1 => 1.0,
            far => float(far) * self.factor,
        };
        let next = self.points.partition_point(|point| point.distance < distance);
        let Some(after) = self.points.get(next) else {
            return self.beyond(distance);
        };
        let Some(before) = next.checked_sub(1).and_then(|index| self.points.get(index)) else {
            return after.time;
        };
        let share = (distance.sqrt() - before.root) / (after.root - before.root);
        before.time + share * (after.time - before.time)
    }

    fn beyond(&self, distance: f64) -> f64 {
        match self.points.as_slice() {
            [] => 0.0,
            [only] => only.time,
            [.., before, last] => {
                let slope = (last.time - before.time) / (last.distance - before.distance);
                last.time + slope.max(0.0) * (distance - last.distance)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::SeekCurve;

    #[test]
    fn points_are_met_and_the_curve_grows() {
        let points = [(1, Nanos(100)), (100, Nanos(1000)), (10_000, Nanos(4000))];
        let curve = SeekCurve::new(&points, 1);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
        assert!(close(curve.time(0), 0.0) && close(curve.time(1), 100.0));
        assert!(close(curve.time(100), 1000.0) && close(curve.time(10_000), 4000.0));
        assert!((1..20_000).is_sorted_by(|a, b| curve.time(*a) <= curve.time(*b)));
    }

    #[test]
    fn a_scaled_way_is_as_long_as_in_life_but_the_neighbour_stays() {
        let points = [(1, Nanos(100)), (100, Nanos(1000)), (10_000, Nanos(4000))];
        let (full, scaled) = (SeekCurve::new(&points, 1), SeekCurve::new(&points, 32));
        assert!((scaled.time(100) - full.time(3200)).abs() < 1e-6);
        assert!((scaled.time(1) - full.time(1)).abs() < 1e-6);
    }
}

//! Families of interchangeable parts: one table each, read by the file format, `dpsda list` and the law tests.

use crate::Error;

/// One member of a family: what a user calls it, one line about it, its own keys, and how it is built.
///
/// ```
/// use dpsda::Keys;
/// use dpsda::catalog::find;
/// use dpsda::keys::Table;
/// use dpsda::set::SETS;
/// let ball = find(SETS, "set.kind", "ball")?;
/// let table = Table::from([("radius".into(), 2.5.into())]);
/// let set = (ball.build)(&Keys::new("set", &table), 2)?;
/// let mut x = [3.0, 4.0];
/// set.project(&mut x);
/// assert_eq!(x, [1.5, 2.0]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug)]
pub struct Listing<B: 'static> {
    /// The name in TOML.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// The keys that only this member reads.
    pub keys: &'static [Key],
    /// Builds it from those keys.
    pub build: B,
}

/// A key of a member, for people.
///
/// ```
/// use dpsda::catalog::find;
/// use dpsda::set::SETS;
/// let keys: Vec<&str> = find(SETS, "set.kind", "ball")?.keys.iter().map(|key| key.name).collect();
/// assert_eq!(keys, ["radius"]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The name in TOML.
    pub name: &'static str,
    /// What it means, which values it may have, and its default.
    pub about: &'static str,
}

/// The entry called `name`; `key` is where the name was found.
pub fn find<B>(table: &'static [Listing<B>], key: &str, name: &str) -> Result<&'static Listing<B>, Error> {
    table.iter().find(|e| e.name == name).ok_or_else(|| Error::UnknownName {
        key: key.to_owned(),
        found: name.to_owned(),
        known: table.iter().map(|e| e.name.to_owned()).collect(),
    })
}

/// Declares the modules of a family and its table: **adding a member is one new file and one word here**.
#[macro_export]
macro_rules! family {
    ($(#[$about:meta])* $table:ident: $build:ty = $($module:ident),+ $(,)?) => {
        $(pub mod $module;)+
        $(#[$about])*
        pub static $table: &[$crate::catalog::Listing<$build>] = &[$($module::LISTING),+];
    };
}

/// Pointers to a part are parts too: they pass every method on, provided ones included.
macro_rules! pointers {
    ($family:ident $methods:tt) => {
        $crate::catalog::pointers!(std::boxed::Box: $family $methods);
        $crate::catalog::pointers!(std::sync::Arc: $family $methods);
    };
    ($($pointer:ident)::+: $family:ident {
        $(fn $method:ident(&self $(, $argument:ident: $type:ty)*) $(-> $out:ty)?;)+
    }) => {
        impl<P: $family + ?Sized> $family for $($pointer)::+<P> {
            $(fn $method(&self $(, $argument: $type)*) $(-> $out)? {
                (**self).$method($($argument),*)
            })+
        }
    };
}
pub(crate) use pointers;

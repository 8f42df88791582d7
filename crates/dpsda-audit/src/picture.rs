//! Both worlds side by side.

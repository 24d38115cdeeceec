// Busy machines render slowly, so queries wait longer than by default. A missing element still
// fails the test.
require('@testing-library/react').configure({ asyncUtilTimeout: 20_000 });

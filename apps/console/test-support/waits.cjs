// A machine that is busy renders slowly; what never comes still fails.
require('@testing-library/react').configure({ asyncUtilTimeout: 20_000 });

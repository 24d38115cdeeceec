// Jest's set-up of the end-to-end tests.
module.exports = () => require('./build.cjs').ensureBuilt();

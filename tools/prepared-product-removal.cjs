// Jest's tear-down of the end-to-end tests.
module.exports = () => require('./prepared-product.cjs').remove();

module.exports = { ...require('../../jest.preset.cjs'), displayName: 'trusts', rootDir: __dirname };

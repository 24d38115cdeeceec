module.exports = { ...require('../../jest.preset.cjs'), displayName: 'ledger-store', rootDir: __dirname };

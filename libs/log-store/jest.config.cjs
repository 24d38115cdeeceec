module.exports = { ...require('../../jest.preset.cjs'), displayName: 'log-store', rootDir: __dirname };

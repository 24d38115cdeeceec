module.exports = { ...require('../../jest.preset.cjs'), displayName: 'stack-traces', rootDir: __dirname };

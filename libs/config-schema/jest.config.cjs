module.exports = { ...require('../../jest.preset.cjs'), displayName: 'config-schema', rootDir: __dirname };

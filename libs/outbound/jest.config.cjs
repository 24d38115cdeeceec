module.exports = { ...require('../../jest.preset.cjs'), displayName: 'outbound', rootDir: __dirname };

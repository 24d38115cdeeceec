module.exports = { ...require('../../jest.preset.cjs'), displayName: 'secret-managers', rootDir: __dirname };

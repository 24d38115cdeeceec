module.exports = { ...require('../../jest.preset.cjs'), displayName: 'scim', rootDir: __dirname };

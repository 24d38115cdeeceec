module.exports = { ...require('../../jest.preset.cjs'), displayName: 'mcp-client', rootDir: __dirname };

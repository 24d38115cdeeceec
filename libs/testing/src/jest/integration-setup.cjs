const { startPostgresOfRun } = require('./postgres-of-run.ts');
module.exports = startPostgresOfRun;

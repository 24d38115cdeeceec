#!/usr/bin/env node
// `node tools/reset-password.cjs <email> [--remove-factors]`: prints a link that sets a new
// password; with the option the user's second factors are removed.
require('./operator-command.cjs').runOperatorCommand('reset-password');

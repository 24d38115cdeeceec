#!/usr/bin/env node
// `node tools/rotate-signing-keys.cjs`: replaces all keys with which this installation signs, for
// example after one was disclosed.
require('./operator-command.cjs').runOperatorCommand('rotate-signing-keys');

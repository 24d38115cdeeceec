#!/usr/bin/env node
// `node tools/rotate-signing-keys.cjs`: replaces all keys that this installation signs with, after
// one became known to others.
require('./operator-command.cjs').runOperatorCommand('rotate-signing-keys');

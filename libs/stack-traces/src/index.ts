import { resolve } from 'node:path';
import { mapStackTraces } from './map-stack-traces';

// Importing this first makes the stack traces of a process name our sources, also those of errors
// while its modules load. The folder is the one that a build of an app makes.
mapStackTraces(resolve(__dirname, '..', '..', '..'));

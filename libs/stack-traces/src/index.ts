import { resolve } from 'node:path';
import { mapStackTraces } from './map-stack-traces';

// Import this module first: it makes the stack traces of the process name the TypeScript sources,
// even for errors while other modules load. The folder is the root of a compiled app.
mapStackTraces(resolve(__dirname, '..', '..', '..'));

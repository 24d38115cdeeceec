export { API_PATHS, readAnswer, type GatewayApi } from './answer-reader';
export { awaitLog } from './await-log';
export { forgetGatewayKey, gatewayKey, type GatewayKey } from './gateway-key';
export { isRunning, NEW_RUN, tokensPerSecond, type Run, type RunStatus } from './run-state';
export { sendRun, type RunRequest } from './send-run';

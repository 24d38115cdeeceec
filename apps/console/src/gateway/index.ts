export { API_PATHS, isTextApi, readAnswer, type GatewayApi } from './answer-reader';
export { awaitLog } from './await-log';
export { forgetGatewayKey, gatewayKey, type GatewayKey } from './gateway-key';
export { urlBelow, type RunRequest } from './open-call';
export {
  isRunning,
  NEW_RUN,
  TEXT_MAX,
  tokensPerSecond,
  type Exchange,
  type Run,
  type RunStatus,
} from './run-state';
export { sendRun } from './send-run';

export {
  API_PATHS,
  generatesText,
  isRecordingApi,
  isTextApi,
  readResponsePart,
  type GatewayApi,
} from './response-reader';
export { awaitLog } from './await-log';
export { forgetGatewayKey, gatewayKey, type GatewayKey } from './gateway-key';
export { formLines, urlBelow, type RunRequest } from './open-call';
export {
  isRunning,
  NEW_RUN,
  TEXT_MAX,
  tokensPerSecond,
  type HttpMessages,
  type Run,
  type RunStatus,
} from './run-state';
export { sendRun } from './send-run';

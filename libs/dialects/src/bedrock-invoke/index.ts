export { betaFlags } from './betas';
export {
  editedBody,
  invokeCall,
  invokeEdits,
  invokeTokensCall,
  type BodyEdits,
  type InvokeFacts,
} from './invoke-call';
export { InvokeStream } from './invoke-stream';

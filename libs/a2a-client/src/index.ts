export { AGENT_TIMEOUTS, type AgentCall, type AgentTimeouts } from './agent-call';
export {
  AgentCallError,
  cancelled,
  type AgentCallErrorFacts,
  type AgentCallErrorKind,
} from './agent-call-error';
export { AgentClient, type AgentClientOptions, type AgentResponse, type AgentTarget } from './agent-client';
export { sandboxAgentPolicy, withSandboxAgent, withSandboxCalls } from './sandbox-network';

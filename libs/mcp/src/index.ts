export { CODES, McpFault, unknownCapability, type FaultOptions } from './fault';

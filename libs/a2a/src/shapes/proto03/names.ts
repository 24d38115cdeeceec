const ROLES = [
  ['user', 'ROLE_USER'],
  ['agent', 'ROLE_AGENT'],
] as const;
export const TO_JSON_ROLES: ReadonlyMap<unknown, string> = new Map(
  ROLES.map(([json, proto]) => [proto, json]),
);
export const TO_PROTO_ROLES: ReadonlyMap<unknown, string> = new Map(ROLES);
/** The protocol buffers of 0.3 spell this state with a double l. */
export const [CANCELED, CANCELLED] = ['TASK_STATE_CANCELED', 'TASK_STATE_CANCELLED'];

/** Kinds of events in JSON-RPC, and their members in protocol buffers. */
export const EVENTS = [
  ['task', 'task'],
  ['message', 'msg'],
  ['status-update', 'statusUpdate'],
  ['artifact-update', 'artifactUpdate'],
] as const;

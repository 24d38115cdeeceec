/**
 * Tools that the provider runs itself, by the type of their item; `web_search` is the neutral name.
 */
export const HOSTED_CALLS: ReadonlyMap<string, string> = new Map([
  ['web_search_call', 'web_search'],
  ['file_search_call', 'file_search'],
  ['code_interpreter_call', 'code_interpreter'],
  ['image_generation_call', 'image_generation'],
  ['mcp_call', 'mcp'],
  ['mcp_list_tools', 'mcp'],
]);

/** Other items that a model writes; items of all other types are the client's. */
const MODEL_ITEMS: ReadonlySet<string> = new Set([
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'tool_search_call',
  'mcp_approval_request',
  'compaction',
  'program',
  'program_output',
]);

export const isModelItem = (type: string): boolean => HOSTED_CALLS.has(type) || MODEL_ITEMS.has(type);

/** What a client asks for, and what its provider then sends. */
export const SCENARIOS = [
  'plain',
  'tools',
  'parallel tools',
  'structured output',
  'image',
  'pdf',
  'reasoning',
  'error',
  'stream',
  'stream cut',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a provider sends, whatever its dialect. */
export interface Reply {
  readonly text: string | null;
  readonly reasoning: string | null;
  readonly calls: readonly ToolCall[];
  readonly streams: boolean;
  /** Whether the connection ends in the middle. */
  readonly cut: boolean;
}

/** What a client's SDK hands to its user. */
export interface Outcome {
  readonly text: string;
  readonly calls: readonly Pick<ToolCall, 'name' | 'input'>[];
  readonly reasoning: string;
  /** Whether the SDK regards the response as complete. */
  readonly complete: boolean;
  readonly input: number;
  readonly output: number;
}

export const QUESTION = 'What is the weather in Paris?';
export const TEXT = 'Sunny in Paris.';
export const REASONING = 'The user asks for the weather.';
export const JSON_TEXT = '{"city":"Paris"}';
export const INPUT_TOKENS = 12;
export const OUTPUT_TOKENS = 5;
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n').toString('base64');
export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
export const TOOL = 'get_weather';
export const DESCRIPTION = 'Reads the weather of a city';
/** Calls of an earlier turn, with their results. */
export const EARLIER: readonly (ToolCall & { readonly result: string })[] = [
  { id: 'call00001', name: TOOL, input: { city: 'Rome' }, result: '18 degrees' },
  { id: 'call00002', name: TOOL, input: { city: 'Oslo' }, result: '7 degrees' },
];
const NEW_CALLS: readonly ToolCall[] = [
  { id: 'call00003', name: TOOL, input: { city: 'Paris' } },
  { id: 'call00004', name: TOOL, input: { city: 'Lyon' } },
];

/** Number of tool calls in each turn of a scenario. */
export const callsIn = (scenario: Scenario): number =>
  scenario === 'parallel tools' ? 2 : scenario === 'tools' ? 1 : 0;

export const isStreamed = (scenario: Scenario): boolean => scenario.startsWith('stream');

export function replyTo(scenario: Scenario): Reply {
  const calls = NEW_CALLS.slice(0, callsIn(scenario));
  return {
    text: calls.length > 0 ? null : scenario === 'structured output' ? JSON_TEXT : TEXT,
    reasoning: scenario === 'reasoning' ? REASONING : null,
    calls,
    streams: isStreamed(scenario),
    cut: scenario === 'stream cut',
  };
}

/** Texts of the client's call that its provider must get. */
export function neededIn(scenario: Scenario): readonly string[] {
  const results = EARLIER.slice(0, callsIn(scenario)).map(({ result }) => result);
  switch (scenario) {
    case 'image':
      return [PNG];
    case 'pdf':
      return [PDF];
    case 'structured output':
      return ['"city"'];
    case 'tools':
    case 'parallel tools':
      return [TOOL, ...results];
    case 'plain':
    case 'reasoning':
    case 'error':
    case 'stream':
    case 'stream cut':
      return [QUESTION];
  }
}

import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { randomBytes } from 'node:crypto';
import { objectOf, stringOf, text, type JsonSchema, type Tools } from './tool-kit';

/** Signs the state that a client carries between two rounds. */
export const stateCodec = createRequestStateCodec({ key: randomBytes(32) });

type FormSchema = Extract<Parameters<typeof inputRequired.elicit>[0]['requestedSchema'], { type: 'object' }>;

const form = (message: string, requestedSchema: JsonSchema): InputRequest =>
  inputRequired.elicit({ mode: 'form', message, requestedSchema: requestedSchema as FormSchema });

const sample = (prompt: string, maxTokens: number): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  });

const nameForm = (message = 'What is your name?'): InputRequest =>
  form(message, objectOf({ name: { type: 'string' } }));
const okForm = (): InputRequest => form('Please confirm', objectOf({ ok: { type: 'boolean' } }));

const responsesOf = ({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> =>
  mcpReq.inputResponses ?? {};

/** Returns whether the client has sent a response for each key. */
const hasAll = (ctx: ServerContext, requests: InputRequests): boolean =>
  Object.keys(requests).every((key) => inputResponse(responsesOf(ctx), key).kind !== 'missing');

/** Requests input once; the second round returns the responses as the result's text. */
const once =
  (requests: InputRequests, prefix: string) =>
  (ctx: ServerContext): CallToolResult | InputRequiredResult =>
    hasAll(ctx, requests)
      ? text(`${prefix}${JSON.stringify(responsesOf(ctx))}`)
      : inputRequired({ inputRequests: requests });

/** Like `once`, with a signed state that the client must return. */
const withState =
  (requests: InputRequests, prefix: string) =>
  async (ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> => {
    if (hasAll(ctx, requests) && ctx.mcpReq.requestState() !== undefined)
      return text(`${prefix}${JSON.stringify(responsesOf(ctx))}`);
    return inputRequired({ inputRequests: requests, requestState: await stateCodec.mint({ round: 1 }) });
  };

async function multiRound(ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  const state = ctx.mcpReq.requestState<{ readonly round: number; readonly name?: unknown }>();
  const answers = responsesOf(ctx);
  if (state?.round === 2 && 'step2' in answers)
    return text(JSON.stringify({ name: state.name, ...acceptedContent(answers, 'step2') }));
  if (state?.round === 1 && 'step1' in answers) {
    const name = acceptedContent(answers, 'step1')?.['name'];
    return inputRequired({
      inputRequests: {
        step2: form('Step 2: What is your favorite color?', objectOf({ color: { type: 'string' } })),
      },
      requestState: await stateCodec.mint({ round: 2, name }),
    });
  }
  return inputRequired({
    inputRequests: { step1: nameForm('Step 1: What is your name?') },
    requestState: await stateCodec.mint({ round: 1 }),
  });
}

/** Returns the client capabilities of a legacy session; a modern request contains its own. */
export type SessionCapabilities = () => object | undefined;

/** Returns the names of the capabilities that the client declares. */
function declared({ mcpReq }: ServerContext, ofSession: SessionCapabilities): ReadonlySet<string> {
  const envelope = mcpReq.envelope as Readonly<Record<string, object | undefined>> | undefined;
  const capabilities = envelope === undefined ? ofSession() : envelope[CLIENT_CAPABILITIES_META_KEY];
  return new Set(Object.keys(capabilities ?? {}));
}

/** Requests only the kinds of input that the client declares. */
function byCapability(
  ctx: ServerContext,
  ofSession: SessionCapabilities,
): CallToolResult | InputRequiredResult {
  const capabilities = declared(ctx, ofSession);
  const inputRequests: InputRequests = {
    ...(capabilities.has('elicitation') ? { user_name: nameForm() } : {}),
    ...(capabilities.has('sampling') ? { greeting: sample('Generate a greeting', 50) } : {}),
  };
  if (Object.keys(inputRequests).length === 0) return text('The client declares no kind of input.');
  return once(inputRequests, '')(ctx);
}

const DEFAULTS: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'User name', default: 'John Doe' },
    age: { type: 'integer', description: 'User age', default: 30 },
    score: { type: 'number', description: 'User score', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', description: 'Verification status', default: true },
  },
  required: [],
};

const OPTIONS = ['option1', 'option2', 'option3'];
const titled = ['First', 'Second', 'Third'].map((title, index) => ({
  const: `value${String(index + 1)}`,
  title,
}));

const ENUMS: JsonSchema = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: OPTIONS },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
    untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: OPTIONS } },
    titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled } },
  },
  required: [],
};

/**
 * Returns tools that need input of the client. They are written for 2026-07-28; in a legacy session
 * the SDK sends the same requests to the client.
 */
export const inputTools = (ofSession: SessionCapabilities): Tools => ({
  test_sampling: {
    description: 'Requests a message of a model.',
    inputSchema: objectOf({ prompt: { type: 'string' } }),
    run: (args, ctx) => once({ message: sample(stringOf(args['prompt']), 100) }, 'LLM response: ')(ctx),
  },
  test_elicitation: {
    description: 'Requests a response of the user.',
    inputSchema: objectOf({ message: { type: 'string' } }),
    run: (args, ctx) => {
      const request = form(stringOf(args['message']), objectOf({ response: { type: 'string' } }));
      return once({ answer: request }, 'User response: ')(ctx);
    },
  },
  test_elicitation_sep1034_defaults: {
    description: 'Requests a form with default values.',
    run: (_args, ctx) =>
      once({ answer: form('Review the fields', DEFAULTS) }, 'Elicitation completed: ')(ctx),
  },
  test_elicitation_sep1330_enums: {
    description: 'Requests a form with selections.',
    run: (_args, ctx) => once({ answer: form('Select options', ENUMS) }, 'Elicitation completed: ')(ctx),
  },
  test_missing_capability: {
    description: 'Requires a client that declares sampling; others are refused with -32021.',
    run: (_args, ctx) => once({ message: sample('Say hello.', 10) }, '')(ctx),
  },
  test_streaming_elicitation: {
    description: 'Requests the name of the user.',
    run: (_args, ctx) => once({ user_name: nameForm() }, '')(ctx),
  },
  test_input_required_result_elicitation: {
    description: 'Greets the user by name.',
    run: (_args, ctx) => {
      const name = acceptedContent(responsesOf(ctx), 'user_name')?.['name'];
      return typeof name === 'string'
        ? text(`Hello, ${name}!`)
        : inputRequired({ inputRequests: { user_name: nameForm() } });
    },
  },
  test_input_required_result_sampling: {
    description: 'Requests the capital of France.',
    run: (_args, ctx) => once({ capital_question: sample('What is the capital of France?', 100) }, '')(ctx),
  },
  test_input_required_result_list_roots: {
    description: 'Requests the roots of the client.',
    run: (_args, ctx) => once({ client_roots: inputRequired.listRoots() }, '')(ctx),
  },
  test_input_required_result_request_state: {
    description: 'Checks the state that the client returns.',
    run: (_args, ctx) => withState({ confirm: okForm() }, 'state-ok ')(ctx),
  },
  test_input_required_result_tampered_state: {
    description: 'Refuses a state that was changed.',
    run: (_args, ctx) => withState({ confirm: okForm() }, 'state-ok ')(ctx),
  },
  test_input_required_result_multiple_inputs: {
    description: 'Requests three kinds of input at once.',
    run: (_args, ctx) =>
      withState(
        {
          user_name: nameForm(),
          greeting: sample('Generate a greeting', 50),
          client_roots: inputRequired.listRoots(),
        },
        '',
      )(ctx),
  },
  test_input_required_result_multi_round: {
    description: 'Requests a name, then a color.',
    run: (_args, ctx) => multiRound(ctx),
  },
  test_input_required_result_capabilities: {
    description: 'Requests only what the client declares.',
    run: (_args, ctx) => byCapability(ctx, ofSession),
  },
});

import type { SecretReferenceEntity } from '@gw/entities';
import {
  dialectOf,
  GuardrailRunner,
  hookResults,
  Subject,
  type RequestFacts,
  type SecretReference,
} from '@gw/guardrails';
import { GatewayError } from '@gw/kernel';
import { pick, type SecretReader } from '@gw/secret-managers';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { referenceRows } from '../../platform/credentials/guardrail-credentials';
import { mayUse, SecretAccess } from '../../platform/credentials/secret-access';
import { SECRET_READER } from '../../platform/credentials/secret-reader';
import { GuardrailContents } from './guardrail-contents';
import { findRow } from '../../platform/resource/rows';
import { currentOf, GUARDRAIL } from '../../platform/rows/guardrail-rows';
import { OutboundGuardrailPort } from './outbound-guardrail-port';
import type { InvokeGuardrailDto } from './guardrails.dto';
import type { InvocationResponse } from './guardrails.view';

/**
 * Runs a single guardrail without a request. Saves nothing, and calls only the models that its
 * checks use.
 */
@Injectable()
export class InvocationService {
  private readonly runner: GuardrailRunner;

  constructor(
    private readonly dataSource: DataSource,
    private readonly contents: GuardrailContents,
    port: OutboundGuardrailPort,
    private readonly access: SecretAccess,
    @Inject(SECRET_READER) private readonly readSecret: SecretReader,
  ) {
    this.runner = new GuardrailRunner(port);
  }

  async run(caller: Principal, reference: string, input: InvokeGuardrailDto): Promise<InvocationResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, GUARDRAIL, { caller, reference });
    const version = await currentOf(manager, row);
    const content = await this.contents.running(manager, row, version);
    const references = await referenceRows(manager, content.checks);
    const compiled = this.contents.compiled(row, version.id, content, (reference) =>
      this.read(caller, references.get(reference.secret_reference_id), reference),
    );
    // The caller waits for the verdict, so the guardrail must not run in the background.
    const guardrail = { ...compiled, actions: { ...compiled.actions, async: false } };
    const { outcome, results, message, body } = await this.runner.run([guardrail], subjectOf(input));
    return {
      guardrail_id: row.id,
      slug: row.slug,
      version_id: version.id,
      verdict: results.every(({ verdict }) => verdict),
      outcome,
      message,
      transformed: body !== undefined,
      body: body ?? null,
      hook_results: input.stage === 'output' ? hookResults([], results) : hookResults(results),
    };
  }

  /**
   * Reads a secret from its manager, without a cache. Throws `forbidden` if the workspace may not
   * use it.
   */
  private async read(
    { workspaceId }: Principal,
    row: SecretReferenceEntity | undefined,
    { secret_key: key }: SecretReference,
  ): Promise<string> {
    if (!row || (workspaceId !== null && !mayUse(row, workspaceId))) throw new GatewayError('forbidden');
    const location = this.access.locationOf(row, key ?? null);
    return pick(await this.readSecret(location), location);
  }
}

/**
 * Route family of each request type that contains texts; the family decides how bodies are read.
 */
const FAMILIES: Readonly<Record<string, string>> = {
  chatComplete: 'chat.completions',
  complete: 'completions',
  embed: 'embeddings',
  moderate: 'moderations',
  messages: 'messages',
  createModelResponse: 'responses',
};

function subjectOf(input: InvokeGuardrailDto): Subject {
  const { stage = 'input', text, request, response } = input;
  const body = stage === 'input' ? request : response;
  if ((text === undefined) === (body === undefined)) {
    throw invalid(text === undefined ? (stage === 'input' ? 'request' : 'response') : 'text', ONE_OF_THEM);
  }
  const subject = bodyOf(input, stage);
  // A body of another format, such as a webhook body, would be judged as no provider reads it.
  if (subject.passages().every(({ kind }) => kind === 'other' || kind === 'rest'))
    throw invalid(stage === 'input' ? 'request' : 'response', NO_TEXT);
  return subject;
}

function bodyOf(input: InvokeGuardrailDto, stage: 'input' | 'output'): Subject {
  const { text = '', request, response, model } = input;
  const facts = factsOf(input);
  const requested = request ?? chat(model, stage === 'input' ? text : '');
  if (stage === 'input') return Subject.input(facts, requested);
  return Subject.output(facts, requested, response ?? chatResponse(text), 200);
}

const NO_TEXT =
  'has no text to check; send a body of the request_type, such as {"messages":[…]} for chatComplete';
const ONE_OF_THEM = 'exactly one of text and the body of the stage (request or response) is required';

function factsOf(input: InvokeGuardrailDto): RequestFacts {
  // A text without a body is treated as a chat, regardless of the request_type.
  const requestType = input.request_type ?? 'chatComplete';
  const isText = input.text !== undefined;
  const named = input.request?.['model'];
  return {
    dialect: isText ? 'chat' : dialectOf(FAMILIES[requestType] ?? ''),
    requestType,
    isPassthrough: false,
    method: 'POST',
    path: '/v1/guardrails/invoke',
    contentType: 'application/json',
    provider: input.provider ?? null,
    model: input.model ?? (typeof named === 'string' ? named : null),
    metadata: input.metadata ?? {},
    headers: Object.fromEntries(
      Object.entries(input.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    isStreaming: false,
  };
}

const chat = (model: string | undefined, content: string): Record<string, unknown> => ({
  ...(model === undefined ? {} : { model }),
  messages: [{ role: 'user', content }],
});

const chatResponse = (content: string): Record<string, unknown> => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});

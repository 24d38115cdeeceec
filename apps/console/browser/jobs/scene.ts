import type { Product, StubProvider, StubResponse } from '@gw/testing';
import { Owner } from '../support/owner';
import { chat, FALLBACK, stored } from '../support/requests';
import type { Scene } from './job';

const chunk = (rest: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...rest })}\n\n`;
const MODELS: StubResponse = { body: { data: [{ id: 'gpt-4o' }, { id: 'gpt-4o-mini' }] } };
const ANSWER: StubResponse = {
  headers: { 'content-type': 'text/event-stream' },
  body: [
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello.' }, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    chunk({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } }),
    'data: [DONE]\n\n',
  ].join(''),
};
const FAILURES = 3;

/**
 * Creates the data that the jobs need: a provider with several models, keys, and requests that
 * failed or used a fallback.
 */
export async function prepareScene(
  product: Product,
  stub: StubProvider,
): Promise<Omit<Scene, 'page' | 'product' | 'stub'>> {
  stub.respond((request) => (request.method === 'GET' ? MODELS : ANSWER));
  const { workspace_id, workspace_slug: slug } = product.credentials;
  const owner = await Owner.signIn(product);
  await owner.call('/integrations', {
    ...{ ai_provider_id: 'openai', name: 'Stub', slug: 'stub', default_provider_slug: 'stub', workspace_id },
    ...{ key: 'sk-0123456789abcdef', configurations: { custom_host: `${stub.origin}/v1` } },
  });
  const scopes = ['completions.write'];
  await owner.call('/api-keys/workspace/user', {
    ...{ name: 'my own', workspace_id, scopes },
    usage_limits: { type: 'cost', credit_limit: 20, periodic_reset: 'monthly' },
    rate_limits: [{ type: 'requests', unit: 'rpm', value: 60 }],
  });
  const name = 'leaked-key';
  const made = await owner.call<{ readonly id: string; readonly key: string }>(
    '/api-keys/workspace/service',
    { name, workspace_id, scopes },
  );
  const model = 'sandbox-small';
  const refused = await chat(product, { model }, { 'x-gw-provider': '@nothing' });
  const fallen = await chat(product, { model }, { 'x-gw-config': JSON.stringify(FALLBACK) });
  const sent = [refused, fallen];
  while (sent.length < 2 + FAILURES)
    sent.push(await chat(product, { model: 'sandbox-small?status=503' }, { 'x-gw-provider': '@sandbox' }));
  await stored(product, sent);
  return {
    workspace: `${product.adminUrl}/console/w/${slug}`,
    refused: JSON.stringify(refused.body, null, 2),
    fallen: fallen.id,
    key: { id: made.id, name, secret: made.key },
  };
}

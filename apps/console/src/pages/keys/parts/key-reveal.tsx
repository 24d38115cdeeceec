import type { ReactElement } from 'react';
import { useRead } from '../../../api';
import { useBootstrap, useCan, useWorkspace } from '../../../app';
import { keys } from '../../../messages';
import { AsCode, Reveal, type CodeForm } from '../../../ui/code';
import { Note } from '../../../ui/primitives';

const POLL_MS = 2_000;
const ENV = 'TOLLGATE_API_KEY';

interface KeyRevealProps {
  /**
   * Key whose first request the dialog waits for; null to wait for none, because the key was used
   * with another secret before.
   */
  readonly keyId: string | null;
  /** The secret to show; null when the dialog is closed. */
  readonly secret: string | null;
  readonly name: string;
  /** Note above the recipes. */
  readonly note?: string;
  readonly onClose: () => void;
}

/** Dialog that shows the secret of a key once, with recipes and its first request. */
export function KeyReveal({ keyId, secret, name, note, onClose }: KeyRevealProps): ReactElement {
  return (
    <Reveal secret={secret} name={name} onClose={onClose}>
      {note === undefined ? null : <Note tone="info">{note}</Note>}
      {secret === null ? null : <Recipes secret={secret} />}
      {secret === null || keyId === null ? null : <FirstRequest keyId={keyId} />}
    </Reveal>
  );
}

function recipesOf(secret: string, gateway: string, model: string): readonly CodeForm[] {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  const label = (id: string): string => keys.recipes[id] ?? id;
  return [
    { id: 'env', label: label('env'), text: `${ENV}=${secret}\n`, file: 'tollgate.env' },
    {
      id: 'curl',
      label: label('curl'),
      text: [
        `curl ${gateway}/v1/chat/completions \\`,
        `  -H "x-gw-api-key: $${ENV}" -H 'content-type: application/json' \\`,
        `  -d '${body}'`,
      ].join('\n'),
    },
    {
      id: 'openai',
      label: label('openai'),
      text: [
        `import OpenAI from 'openai';`,
        '',
        `const client = new OpenAI({ apiKey: process.env.${ENV}, baseURL: '${gateway}/v1' });`,
        `await client.chat.completions.create(${body});`,
      ].join('\n'),
    },
    {
      id: 'anthropic',
      label: label('anthropic'),
      text: [
        `import Anthropic from '@anthropic-ai/sdk';`,
        '',
        `const client = new Anthropic({ apiKey: process.env.${ENV}, baseURL: '${gateway}' });`,
        `await client.messages.create({ max_tokens: 100, ...${body} });`,
      ].join('\n'),
    },
  ];
}

function Recipes({ secret }: { readonly secret: string }): ReactElement {
  const { gateway_url } = useBootstrap();
  const workspace = useWorkspace();
  const can = useCan('workspaceModels_list');
  const query = { workspace_id: workspace.id, enabled: true, page_size: 1 };
  const { data } = useRead('workspaceModels_list', { query }, { enabled: can });
  const gateway = (gateway_url ?? location.origin).replace(/\/v1$/, '').replace(/\/$/, '');
  const model = data?.data[0]?.id ?? '@provider/model';
  return <AsCode label={keys.revealRecipes} forms={recipesOf(secret, gateway, model)} maxHeight={160} />;
}

function FirstRequest({ keyId }: { readonly keyId: string }): ReactElement | null {
  const workspace = useWorkspace();
  const can = useCan('logs_list');
  const query = { workspace_id: workspace.id, api_key_id: [keyId], page_size: 1 };
  const { data } = useRead('logs_list', { query }, { enabled: can, refetchInterval: POLL_MS, gcTime: 0 });
  if (!can) return null;
  const log = data?.data[0];
  if (log === undefined)
    return (
      <Note tone="plain" icon="clock">
        <b>{keys.waiting}</b> {keys.waitingHint}
      </Note>
    );
  return <Note tone="ok">{keys.firstRequest(log.response_status_code ?? 0)}</Note>;
}

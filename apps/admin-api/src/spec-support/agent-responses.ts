import type { Tenant, TestAdminApi } from './admin-api';
import { AGENT } from './tenancy-fixtures';

type Step = <T = unknown>(method: string, url: string, body?: object) => Promise<T>;
interface Made {
  readonly id: string;
}

interface Parts {
  readonly admin: TestAdminApi;
  readonly ours: Tenant;
  /** Makes a call whose response must match the document. */
  readonly step: Step;
}

/**
 * Checks the responses of agent integrations and agents against the document. Call it in a
 * `describe`.
 */
export function checkAgentResponses({ admin, ours, step }: Parts): void {
  it('of agents match the document', async () => {
    const { id } = await step<Made>('POST', '/v1/agent-integrations', {
      ...{ ...AGENT, name: 'Full', auth_type: 'headers', timeout_ms: 1_000, messages_per_context_hour: 60 },
      configurations: { headers: { 'x-token': 'secret' }, forward_headers: ['x-team'] },
      pricing: { per_message_usd: 0.001, per_task_usd: 0.0025 },
    });
    const url = `/v1/agent-integrations/${id}`;
    await step('GET', '/v1/agent-integrations');
    await step('GET', url);
    await step('PUT', url, { description: 'full' });
    await step('PUT', `${url}/workspaces`, {
      workspaces: [{ id: ours.workspaceId, enabled: true }],
      global_workspace_access: { enabled: false },
    });
    await step('GET', `${url}/workspaces`);
    const { data } = await step<{ data: { digest: string }[] }>('GET', `${url}/skills`);
    const items = [{ id: 'read', digest: data[0]?.digest ?? '' }];
    await step('PUT', `${url}/skills`, { skills: [{ id: 'read', enabled: true }] });
    for (const decision of ['reject', 'approve']) await step('POST', `${url}/skills/${decision}`, { items });
    await step('GET', `${url}/skills/changes`);
    await step('POST', `${url}/test`);
    await step('GET', `${url}/health`);
    await step('GET', `${url}/cards`);
    await step('GET', `${url}/cards/1`);
    await servers({ admin, ours, step }, id);
    await step('DELETE', url);
  });
}

async function servers({ admin, ours, step }: Parts, integrationId: string): Promise<void> {
  const { organisationId, workspaceId } = ours;
  const { id: userId } = await admin.user(organisationId, 'member', { [workspaceId]: 'member' });
  const made = await step<Made>('POST', '/v1/agent-servers', {
    ...{ name: 'Full', agent_integration_id: integrationId, workspace_id: workspaceId },
  });
  const url = `/v1/agent-servers/${made.id}`;
  await step('GET', `/v1/agent-servers?workspace_id=${workspaceId}`);
  await step('GET', url);
  await step('PUT', url, { listed: 'public' });
  await step('GET', `${url}/skills`);
  await step('PUT', `${url}/skills`, { skills: [{ id: 'read', enabled: false }] });
  await step('PUT', `${url}/user-access`, { default_user_access: 'deny' });
  await step('GET', `${url}/user-access`);
  await step('PUT', `${url}/access-rules`, {
    rules: [{ subject: { type: 'client', id: 'app' }, skills: ['read'], effect: 'allow' }],
  });
  await step('GET', `${url}/access-rules`);
  await step('GET', `${url}/agent-card`);
  await step('GET', `${url}/health`);
  await step('GET', `${url}/effective?user_id=${userId}`);
  await step('POST', `${url}/test`);
  await step('DELETE', url);
}

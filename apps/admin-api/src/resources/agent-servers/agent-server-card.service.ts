import { servedCard, type ServedSecurity } from '@gw/a2a';
import { AgentIntegrationEntity, AgentServerSkillEntity, WorkspaceEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { approvedCards, cardWith } from '../../platform/agents/approved-cards.queries';
import { found } from '../../platform/auth/tenancy';
import { agentServerUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow } from '../../platform/resource/rows';
import { SETTINGS, type AdminSettings } from '../../settings';
import { AGENT_SERVER } from './agent-server-rows';

type CardSettings = PublicUrlSettings & Pick<AdminSettings, 'OAUTH_ENABLED' | 'PUBLIC_GATEWAY_URL'>;

/** Returns the card of an agent as its callers see it. */
@Injectable()
export class AgentServerCardService {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: CardSettings,
  ) {}

  /**
   * Returns the approved card with the address of the gateway, unsigned. Throws `not_found` before
   * a card is approved.
   */
  async get(at: ResourceReference): Promise<object> {
    const { manager } = this.dataSource;
    const server = await findRow(manager, AGENT_SERVER, at);
    const { integrationId, workspaceId } = server;
    const integration = found(await manager.findOneBy(AgentIntegrationEntity, { id: integrationId }));
    const workspace = found(await manager.findOneBy(WorkspaceEntity, { id: workspaceId }));
    const card = (await approvedCards(manager, [integrationId])).get(integrationId);
    if (card === undefined)
      throw new GatewayError('not_found', {
        message: 'No card of the agent is approved yet; read skills/changes of its integration.',
      });
    const switches = await manager.findBy(AgentServerSkillEntity, { serverId: server.id, enabled: false });
    const off = new Set(switches.map(({ capabilityId }) => capabilityId));
    return servedCard(
      cardWith(card, ({ id }) => !off.has(id)),
      {
        form: 'hybrid',
        address: agentServerUrl(this.settings, workspace.slug, server.slug),
        security: this.security(),
        // Agents can send notifications only to a gateway with a public URL.
        push: this.settings.PUBLIC_GATEWAY_URL === null ? 'off' : integration.push,
        servesExtended: card.extended !== null,
      },
    );
  }

  private security(): ServedSecurity {
    const { OAUTH_ENABLED: isOn, PUBLIC_URL: origin } = this.settings;
    if (!isOn || origin === null) return { oauth: null };
    return {
      oauth: {
        authorizationUrl: `${origin}/oauth/authorize`,
        tokenUrl: `${origin}/oauth/token`,
        metadataUrl: `${origin}/.well-known/oauth-authorization-server`,
      },
    };
  }
}

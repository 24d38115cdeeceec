import { AgentCardEntity } from '@gw/entities';
import { listWithMoreOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { found } from '../../platform/auth/tenancy';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow } from '../../platform/resource/rows';
import { listVersions, type Versions } from '../../platform/resource/versioned';
import {
  toCardDetail,
  toCardSummary,
  type AgentCardDetailResponse,
  type AgentCardListResponse,
  type AgentCardsQuery,
} from './agent-card-history.dto';
import { agentIntegrationTo } from './agent-integration-rows';

const CARDS: Versions<AgentCardEntity> = { entity: AgentCardEntity, owner: 'integrationId' };

/** Lists the earlier cards of an agent integration. */
@Injectable()
export class AgentCardHistoryService {
  constructor(private readonly dataSource: DataSource) {}

  async list(at: ResourceReference, query: AgentCardsQuery): Promise<AgentCardListResponse> {
    const { manager } = this.dataSource;
    const { id } = await findRow(manager, agentIntegrationTo('read'), at);
    const [cards, total] = await listVersions(manager, CARDS, id, query);
    return listWithMoreOf([cards.map(toCardSummary), total], query);
  }

  /** Returns a stored card by its number. Throws `not_found` when no stored card has the number. */
  async get(at: ResourceReference, version: string): Promise<AgentCardDetailResponse> {
    const { manager } = this.dataSource;
    const { id: integrationId } = await findRow(manager, agentIntegrationTo('read'), at);
    const number = /^[1-9]\d{0,8}$/.test(version) ? Number(version) : 0;
    const row = await manager
      .createQueryBuilder(AgentCardEntity, 'c')
      .addSelect('c.card')
      .where({ integrationId, number })
      .getOne();
    return toCardDetail(found(row));
  }
}

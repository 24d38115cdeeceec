import type { ReactElement, ReactNode } from 'react';
import { logDetail } from '../../../../messages/en/log-detail';
import { Badge, Duration, Id, KeyValues, Tokens } from '../../../../ui/primitives';
import { FilterBy } from '../filter-by';
import type { Decision, LogDetail } from '../record';

const text = logDetail.why.facts;
type Item = readonly [name: string, value: ReactNode];

interface Props {
  readonly log: LogDetail;
  readonly decision: Decision;
}

/** Lists the remaining values of the record, with buttons that filter the list by them. */
export function RequestFacts({ log, decision }: Props): ReactElement {
  return (
    <section aria-labelledby="log-facts">
      <h3 id="log-facts">{text.title}</h3>
      <KeyValues items={[...columnItems(log), ...decisionItems(decision)]} />
    </section>
  );
}

function columnItems(log: LogDetail): readonly Item[] {
  const named = (name: string, field: string, value: string | null): readonly Item[] =>
    value === null || value === ''
      ? []
      : [
          [
            name,
            <FilterBy key={field} field={field} value={value}>
              <code>{value}</code>
            </FilterBy>,
          ],
        ];
  return [
    ...named(text.route, 'route', log.route),
    ...named(text.provider, 'provider', log.provider),
    ...named(text.credential, 'credential', log.credential),
    ...named(text.responseModel, 'response_model', log.response_model),
    ...named(text.error, 'error', log.error_type),
    ...named(text.outcome, 'outcome', log.outcome),
    ...named(text.config, 'config', log.config_id),
    ...named(text.configVersion, 'config_version', log.config_version_id),
    ...named(text.trace, 'trace', log.trace_id),
    ...named(text.gateway, 'gateway', log.gateway_id),
    [text.tokens, <Tokens key="tokens" input={log.req_units} output={log.res_units} />],
    [text.overhead, <Duration key="overhead" ms={log.overhead_ms} />],
  ];
}

function decisionItems({ prompt, idempotency, session, mcp, agent, clockSkewed }: Decision): readonly Item[] {
  const items: Item[] = [];
  if (prompt !== undefined)
    items.push([
      text.prompt,
      <FilterBy key="prompt" field="prompt" value={prompt.slug}>
        <code>{prompt.slug}</code> {text.version(prompt.version)}
      </FilterBy>,
    ]);
  if (idempotency !== undefined) items.push([text.idempotency, text.idempotent(idempotency)]);
  if (session !== undefined) items.push([text.session, text.closed(session.closedBy, session.code)]);
  if (mcp !== undefined)
    items.push([
      text.mcp,
      <span key="mcp" className="row">
        <code>
          {mcp.server} {mcp.method} {mcp.name}
        </code>
        {mcp.isError && <Badge tone="danger">{text.toolFailed}</Badge>}
      </span>,
    ]);
  if (mcp?.approvalId !== undefined) items.push([text.approval, <Id key="approval" id={mcp.approvalId} />]);
  if (agent !== undefined)
    items.push([
      text.agent,
      <code key="agent">
        {agent.agent} {agent.operation} {agent.state}
      </code>,
    ]);
  if (clockSkewed !== undefined) items.push([text.clock, clockSkewed.createdAt]);
  return items;
}

import { useState, type ReactElement } from 'react';
import { logDetail } from '../../../../messages/en/log-detail';
import { Badge, KeyValues, Note, TextButton } from '../../../../ui/primitives';
import { laneWords, Waterfall, type Lane } from '../../../../ui/waterfall';
import { MoneyLines } from '../money-lines';
import { waterfallRecord, type Decision, type LogDetail } from '../record';
import { CacheFacts } from './cache-facts';
import { Guardrails } from './guardrails';
import { Limits } from './limits';
import { RequestFacts } from './request-facts';
import { Routing } from './routing';
import { sentenceOf } from './sentence';

const text = logDetail.why;

interface Props {
  readonly log: LogDetail;
  readonly decision: Decision;
  readonly onTab: (tab: string) => void;
}

/**
 * Tab that explains the request: a summary, its waterfall, limits, guardrails, routing, cache and
 * cost.
 */
export function WhyTab({ log, decision, onTab }: Props): ReactElement {
  const [lane, setLane] = useState<Lane | null>(null);
  const { tone, title, facts } = sentenceOf(log, decision);
  return (
    <div className="col log-why">
      <Note tone={tone} icon="route">
        <b>{title}</b> {facts.join(' ')}
      </Note>
      <Waterfall record={waterfallRecord(log, decision)} selected={lane?.key ?? null} onSelect={setLane} />
      {lane !== null && <LaneFacts lane={lane} />}
      <div className="log-why-pair">
        <Limits limits={decision.limits} />
        <section aria-labelledby="log-money">
          <h3 id="log-money">{text.money}</h3>
          <MoneyLines log={log} decision={decision} />
        </section>
      </div>
      <Guardrails log={log} guardrails={decision.guardrails} />
      <Routing decision={decision} />
      <CacheFacts cache={decision.cache} />
      <RequestFacts log={log} decision={decision} />
      <p>
        <TextButton onClick={() => onTab('messages')}>{text.showMessages}</TextButton>
      </p>
    </div>
  );
}

/** Details of the lane that is selected in the waterfall. */
function LaneFacts({ lane }: { readonly lane: Lane }): ReactElement {
  const { name, detail, facts } = laneWords(lane);
  const losses = lane.kind === 'attempt' ? (lane.attempt.losses ?? []) : [];
  return (
    <section className="log-lane" aria-label={name}>
      <h3>
        {name} <span className="muted xs">{detail}</span>
      </h3>
      <ul className="xs">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      {losses.length > 0 && (
        <KeyValues
          items={losses.map((loss, at) => [
            `${text.loss} ${at + 1}`,
            <span key={at}>
              <Badge mono>{loss.code}</Badge> <code>{loss.path}</code>
            </span>,
          ])}
        />
      )}
    </section>
  );
}

import type { GuardrailRecord } from '@gw/contracts';
import type { ReactElement } from 'react';
import { logDetail } from '../../../../messages/en/log-detail';
import { waterfallText } from '../../../../messages/en/waterfall';
import { duration } from '../../../../ui/format';
import { Badge, type Tone } from '../../../../ui/primitives';
import type { LogDetail } from '../record';
import { VerdictMarks } from './verdict-marks';

const text = logDetail.why;

interface Props {
  readonly log: LogDetail;
  readonly guardrails: readonly GuardrailRecord[];
}

/** Lists the guardrail verdicts by stage and check. */
export function Guardrails({ log, guardrails }: Props): ReactElement | null {
  if (guardrails.length === 0) return null;
  return (
    <section aria-labelledby="log-guardrails" className="col">
      <h3 id="log-guardrails">{text.guardrails}</h3>
      <ul className="log-verdicts col">
        {guardrails.map((guardrail, at) => (
          <li key={at}>
            <Verdict log={log} guardrail={guardrail} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const toneOf = (verdict: boolean, denies: boolean): Tone => (verdict ? 'ok' : denies ? 'violet' : 'warn');

function Verdict({
  log,
  guardrail,
}: {
  readonly log: LogDetail;
  readonly guardrail: GuardrailRecord;
}): ReactElement {
  const { id, stage, verdict, deny, monitor, transformed, durationMs, checks } = guardrail;
  const denies = deny && !monitor;
  const notes = [
    guardrail.async ? waterfallText.background : '',
    monitor ? waterfallText.observed : '',
    transformed ? text.transformed : '',
  ].filter((note) => note !== '');
  return (
    <>
      <div className="row">
        <Badge tone={toneOf(verdict, denies)}>{waterfallText.guardrail(verdict, denies)}</Badge>
        <b className="ell">{id}</b>
        <span className="xs muted">
          {[waterfallText.guardrailStage[stage] ?? stage, duration(durationMs), ...notes].join(' · ')}
        </span>
        {!verdict && guardrail.versionId !== null && <VerdictMarks log={log} guardrail={id} stage={stage} />}
      </div>
      {checks.map((check, at) => (
        <p key={at} className="row xs log-check">
          <Badge tone={toneOf(check.verdict, denies)}>{waterfallText.guardrail(check.verdict, false)}</Badge>
          <code className="ell">{check.id}</code>
          <span className="muted">{duration(check.durationMs)}</span>
          {check.error !== null && <span className="tone-warn ell">{check.error}</span>}
        </p>
      ))}
    </>
  );
}

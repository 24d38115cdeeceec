import { Modal, SegmentedControl } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { e8, problemFrom } from '../../../api';
import type { LogRow } from '../../../live';
import { logDetail } from '../../../messages/en/log-detail';
import { logs } from '../../../messages/en/logs';
import { Diff } from '../../../ui/editor';
import { Duration, Id, Moment, Money, StatusBadge, type Priced } from '../../../ui/primitives';
import { Loaded, Part, Skeletons } from '../../../ui/states';
import type { LogDetail } from '../detail/record';
import { useBody, type Side } from '../detail/use-body';
import { useLog } from '../detail/use-log';
import { COMPARED_MAX, comparedText } from './compared-text';

const text = logs.compare;

interface CompareDialogProps {
  readonly left: LogRow;
  readonly right: LogRow;
  readonly onClose: () => void;
}

/** Dialog with the requests or responses of two logs side by side, with differences marked. */
export function CompareDialog({ left, right, onClose }: CompareDialogProps): ReactElement {
  const [side, setSide] = useState<Side>('request');
  const one = useLog(left.id);
  const other = useLog(right.id);
  return (
    <Modal opened onClose={onClose} title={text.title} size={1080}>
      <div className="col">
        <div className="logs-compared">
          <Compared log={left} />
          <Compared log={right} />
        </div>
        <SegmentedControl
          aria-label={text.side}
          value={side}
          onChange={setSide}
          data={(['request', 'response'] as const).map((value) => ({ value, label: logDetail.tabs[value] }))}
          data-autofocus
        />
        <Loaded query={one} problemOf={problemFrom} skeleton={<Skeletons shape="lines" />}>
          {(before) => (
            <Loaded query={other} problemOf={problemFrom} skeleton={<Skeletons shape="lines" />}>
              {(after) => <Bodies key={side} left={before} right={after} side={side} />}
            </Loaded>
          )}
        </Loaded>
      </div>
    </Modal>
  );
}

function Compared({ log }: { readonly log: LogRow }): ReactElement {
  return (
    <p className="row xs">
      <StatusBadge status={log.response_status_code} /> <Id id={log.id} />
      <span className="ell">{log.model ?? log.route}</span>
      <Moment at={log.created_at} as="seconds" /> <Duration ms={log.response_time} />
      <Money e8={log.cost_exact === null ? null : e8(log.cost_exact)} priced={log.priced as Priced} />
    </p>
  );
}

interface BodiesProps {
  readonly left: LogDetail;
  readonly right: LogDetail;
  readonly side: Side;
}

function Bodies({ left, right, side }: BodiesProps): ReactElement {
  const before = useBody(left, side);
  const after = useBody(right, side);
  return (
    <Loaded query={before} problemOf={problemFrom} skeleton={<Skeletons shape="lines" />}>
      {(one) => (
        <Loaded query={after} problemOf={problemFrom} skeleton={<Skeletons shape="lines" />}>
          {(other) => {
            const [from, to] = [comparedText(one), comparedText(other)];
            if (from === null || to === null) return <p className="muted">{text.noText}</p>;
            return (
              <div className="col private">
                {(from.isCut || to.isCut) && <Part>{text.cut(COMPARED_MAX)}</Part>}
                {from.text === to.text && <p className="muted">{text.same}</p>}
                <Diff
                  label={logDetail.tabs[side]}
                  language={from.isJson && to.isJson ? 'json' : 'text'}
                  before={from.text}
                  after={to.text}
                />
              </div>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

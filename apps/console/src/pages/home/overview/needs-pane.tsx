import { memo, type ReactElement } from 'react';
import { problemFrom } from '../../../api';
import { useWorkspace } from '../../../app';
import { needs as text } from '../../../messages';
import { NeedRow } from '../../../needs/need-row';
import { keyOfNeed } from '../../../needs/read-needs';
import type { Resources } from '../../../needs/use-needs';
import { Badge } from '../../../ui/primitives';
import { Empty, Failed, Pane, Part, Skeletons } from '../../../ui/states';

type NeedsPaneProps = Pick<Resources, 'needs' | 'isLoading' | 'isPartial' | 'problem'>;

function NeedsPaneOf({ needs, isLoading, isPartial, problem }: NeedsPaneProps): ReactElement {
  const { slug } = useWorkspace();
  return (
    <Pane title={text.title} padding="flush" actions={<Badge>{needs.length}</Badge>}>
      {problem !== null && <Failed problem={problemFrom(problem)} />}
      {needs.length === 0 &&
        problem === null &&
        (isLoading ? <Skeletons shape="lines" /> : <Empty title={text.none} icon="check" />)}
      <ul className="home-rows" aria-label={text.title}>
        {needs.map((need) => (
          <NeedRow key={keyOfNeed(need)} need={need} slug={slug} />
        ))}
      </ul>
      {isPartial && <Part>{text.part}</Part>}
    </Pane>
  );
}

/** Pane of the alerts, each with cause, time and remedy. */
export const NeedsPane = memo(NeedsPaneOf);

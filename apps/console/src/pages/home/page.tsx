import type { ReactElement } from 'react';
import { useWorkspace } from '../../app';
import { useTail } from '../../live';
import { Onboarding } from './onboarding/onboarding';
import { useProgress } from './onboarding/progress';
import { Overview } from './overview/overview';
import './home.css';

/** The first minute until three of its steps are done, then what the workspace does and what needs somebody. */
export function HomePage(): ReactElement {
  const { id } = useWorkspace();
  const progress = useProgress(id);
  const tail = useTail({ workspace_id: id }, true);
  return progress.isOver ? (
    <Overview key={id} tail={tail} />
  ) : (
    <Onboarding key={id} progress={progress} tail={tail} />
  );
}

/** The steps of the first minute, at any time. */
export function TourPage(): ReactElement {
  const { id } = useWorkspace();
  return <Onboarding key={id} progress={useProgress(id)} tail={useTail({ workspace_id: id }, true)} isTour />;
}

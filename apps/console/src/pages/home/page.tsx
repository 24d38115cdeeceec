import { lazy, Suspense, type ReactElement } from 'react';
import { useWorkspace } from '../../app';
import { useTail } from '../../live';
import { Skeletons } from '../../ui/states';
import { useProgress } from './onboarding/progress';
import { Overview } from './overview/overview';
import './home.css';

// The overview is seen much more often: it comes with the page.
const Onboarding = lazy(async () => ({ default: (await import('./onboarding/onboarding')).Onboarding }));

export { readFigures } from './overview/first-reads';

/** The first minute until three of its steps are done, then what the workspace does and what needs attention. */
export function HomePage(): ReactElement {
  const { id } = useWorkspace();
  const progress = useProgress(id);
  const tail = useTail({ workspace_id: id }, true);
  return (
    <Suspense fallback={<Skeletons shape="tiles" />}>
      {progress.isOver ? (
        <Overview key={id} tail={tail} />
      ) : (
        <Onboarding key={id} progress={progress} tail={tail} />
      )}
    </Suspense>
  );
}

/** The steps of the first minute, at any time. */
export function TourPage(): ReactElement {
  const { id } = useWorkspace();
  const progress = useProgress(id);
  const tail = useTail({ workspace_id: id }, true);
  return (
    <Suspense fallback={<Skeletons shape="lines" />}>
      <Onboarding key={id} progress={progress} tail={tail} isTour />
    </Suspense>
  );
}

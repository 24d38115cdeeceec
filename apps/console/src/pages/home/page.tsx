import { lazy, Suspense, type ReactElement } from 'react';
import { useWorkspace } from '../../app';
import { useTail } from '../../live';
import { Skeletons } from '../../ui/states';
import { useProgress } from './onboarding/progress';
import { Overview } from './overview/overview';
import './home.css';

// Lazy, because most visits show the overview, which is part of the page.
const Onboarding = lazy(async () => ({ default: (await import('./onboarding/onboarding')).Onboarding }));

export { readFigures } from './overview/first-reads';

/**
 * Home page: the onboarding until three of its steps were done here or it was dismissed, then the
 * overview.
 */
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

/** Tour page: the onboarding at any time. */
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

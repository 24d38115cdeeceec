import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { errors } from '../../messages';
import { Gone } from '../../ui/states';

export function NotFound(): ReactElement {
  return (
    <Gone action={<Link to="/">{errors.toHome}</Link>}>
      <p>{errors.notFound}</p>
    </Gone>
  );
}

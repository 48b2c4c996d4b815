import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Loading } from './loading.js';

/** Goes to another page, once: the router's own component goes anew each time that it is drawn, and never arrives. */
export function GoTo({ to }: { to: '/dash' | '/dash/login' }) {
  const navigate = useNavigate();
  useEffect(() => void navigate({ to, replace: true }), [navigate, to]);
  return <Loading />;
}

import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Loading } from './loading.js';

/** Redirects once. The `Navigate` component of the router redirects again in each render, and never finishes. */
export function GoTo({ to }: { to: '/dash' | '/dash/login' }) {
  const navigate = useNavigate();
  useEffect(() => void navigate({ to, replace: true }), [navigate, to]);
  return <Loading />;
}

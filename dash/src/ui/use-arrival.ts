import { useEffect, useState } from 'react';
import { type Arrival, peekArrival, takeArrival } from '../arrival.js';

/** Returns one value of the address this page was opened with, kept by the component that asks and by nobody else. */
export function useArrival(key: keyof Arrival): string | null {
  const [value] = useState(() => peekArrival(key));
  useEffect(() => {
    takeArrival(key);
  }, [key]);
  return value;
}

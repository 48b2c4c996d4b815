import { useEffect, useState } from 'react';
import { relativeTime } from './relative-time.js';

interface WhenProps {
  /** ISO 8601. */
  time: string;
  /** The date alone, or how long ago it was. */
  as?: 'date' | 'age';
}

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' });
const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A moment in the reader's own time zone. */
export function When({ time, as }: WhenProps) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return null;
  if (as === 'age') return <Age date={date} />;
  return <time dateTime={time}>{(as === 'date' ? DATE : DATE_TIME).format(date)}</time>;
}

const MINUTE_MS = 60_000;

/** How long ago it was, as long as one looks at it; the moment itself for who points at it. */
function Age({ date }: { date: Date }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <time dateTime={date.toISOString()} title={DATE_TIME.format(date)}>
      {relativeTime(date.getTime(), Math.max(now, date.getTime()))}
    </time>
  );
}

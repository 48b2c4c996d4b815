/** Schemas that the service brings: they are known, and would stand in the way of one's own. */
export const OF_SERVICE: readonly string[] = ['file', 'permission', 'role', 'session', 'user', 'view'];

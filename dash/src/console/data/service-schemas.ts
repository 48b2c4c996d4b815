/** Built-in schemas. Custom schemas cannot use their names. */
export const OF_SERVICE: readonly string[] = ['file', 'permission', 'role', 'session', 'user', 'view'];

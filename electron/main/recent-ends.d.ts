/** Counts the ends of renderers: one that ends again and again is not to be started for ever. */
export declare class RecentEnds {
    private times;
    /**
     * Notes an end.
     * @param now milliseconds
     * @returns how many there were lately, where these are too many; 0 otherwise
     */
    note(now: number): number;
}

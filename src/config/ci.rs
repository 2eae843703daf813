//! A build server's variables for the job that it runs.

/// Variables with the branches or commits of a pull request, base and head, on GitHub and GitLab.
const PULL_REQUEST: [&str; 6] = [
    "GITHUB_BASE_REF",
    "GITHUB_HEAD_REF",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "CI_MERGE_REQUEST_TARGET_BRANCH_SHA",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
];

/// Returns the branches and commits that the pull request of this job is between; empty where the job is of none.
pub fn pull_request() -> Vec<String> {
    PULL_REQUEST
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .filter(|name| !name.is_empty())
        .collect()
}
